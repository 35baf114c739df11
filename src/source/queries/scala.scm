(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(trait_definition name: (_) @name) @interface
(enum_definition name: (_) @name) @enum
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(type_definition name: (_) @name) @type
(given_definition name: (_) @name) @constant
(template_body (val_definition pattern: (identifier) @name) @constant (#match? @name "^[A-Z]"))
(compilation_unit (val_definition pattern: (identifier) @name) @constant)
