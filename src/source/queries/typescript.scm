; What TypeScript adds to JavaScript.
(function_signature name: (_) @name) @function
(abstract_class_declaration name: (_) @name) @class
(export_statement (decorator) declaration: [(class_declaration name: (_) @name) (abstract_class_declaration name: (_) @name)]) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(abstract_method_signature name: (_) @name) @method
(class_body (method_signature name: (_) @name) @method)
(interface_body (method_signature name: (_) @name) @method)
(interface_body (property_signature name: (_) @name type: (type_annotation (function_type))) @method)
(type_alias_declaration value: (object_type (method_signature name: (_) @name) @method))
(type_alias_declaration value: (object_type (property_signature name: (_) @name type: (type_annotation (function_type))) @method))
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition "static" name: (_) @name) @constant
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(internal_module body: (statement_block (lexical_declaration "const" (variable_declarator name: (identifier) @name) @constant)))
(internal_module body: (statement_block (export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name) @constant))))
