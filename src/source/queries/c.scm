; C, and the base of C++ (cpp.scm is appended to it).
(function_definition declarator: (_) @declarator) @function
(declaration declarator: (_) @declarator) @function.declared
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_))] declarator: (_) @declarator) @class.aside
(type_definition type: (enum_specifier body: (_)) declarator: (_) @declarator) @enum.aside
(type_definition declarator: (_) @declarator) @type
(preproc_def name: (_) @name value: (_)) @macro
(preproc_function_def name: (_) @name value: (_)) @macro
(translation_unit (declaration declarator: (init_declarator declarator: (_) @declarator)) @variable)
