(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(const_declaration (const_element (name) @name)) @constant
