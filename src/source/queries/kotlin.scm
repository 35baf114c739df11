(class_declaration "interface" name: (_) @name) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @enum
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(companion_object) @scope
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor) @method
(type_alias type: (_) @name) @type
(property_declaration (modifiers (property_modifier "const")) (variable_declaration (identifier) @name)) @constant
(source_file (property_declaration (variable_declaration (identifier) @name)) @variable)
(property_declaration (variable_declaration (identifier) @name) (getter)) @field
