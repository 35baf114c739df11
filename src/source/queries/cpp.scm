; What C++ adds to C.
(namespace_definition name: (_) @name) @module.aside
(class_specifier name: (_) @name body: (_)) @class
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(field_declaration declarator: (_) @declarator) @method.declared
((field_declaration declarator: (field_identifier) @name default_value: (_)) @constant (#match? @constant "^(?:(?:inline|constexpr|const) )*static "))
(declaration_list (declaration declarator: (init_declarator declarator: (_) @declarator)) @constant)
(template_declaration [(class_specifier name: (_) @name body: (_)) (struct_specifier name: (_) @name body: (_))]) @class
(template_declaration (alias_declaration name: (_) @name)) @type
(template_declaration (function_definition declarator: (_) @declarator)) @function
(template_declaration (declaration declarator: (_) @declarator)) @function.declared
