(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name) @field
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (_) @name))) @constant
(field_declaration (modifier "static") (modifier "readonly") (variable_declaration (variable_declarator name: (_) @name))) @constant
