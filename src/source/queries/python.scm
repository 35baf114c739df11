(class_definition name: (_) @name) @class
(function_definition name: (_) @name) @function
(decorated_definition definition: (class_definition name: (_) @name)) @class
(decorated_definition definition: (function_definition name: (_) @name)) @function
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type (identifier) @name))) @type
(module (expression_statement (assignment left: (identifier) @name) @constant) (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name type: (_)) @variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @constant)) (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
