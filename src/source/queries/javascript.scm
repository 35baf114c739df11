; JavaScript, and the base of TypeScript (typescript.scm is appended to it).
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method.member
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method.member
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration "const" (variable_declarator name: (identifier) @name) @constant) (#not-match? @constant "^\\w+ = (?:await )?(?:require|import)\\("))
(program (lexical_declaration "let" (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable) (#not-match? @variable "^\\w+ = require\\("))
(program (export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name) @constant)))
(program (export_statement (lexical_declaration "let" (variable_declarator name: (identifier) @name) @variable)))
(export_statement "default" value: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement "default" value: (class)) @class
(export_statement "default" value: [(object) (call_expression) (new_expression)]) @constant
(expression_statement (assignment_expression left: (member_expression) @name right: [(arrow_function) (function_expression) (generator_function)]) @method)
(expression_statement (assignment_expression left: (member_expression) @name right: (class)) @class)
(program (expression_statement (assignment_expression left: (member_expression) @name right: (object)) @constant) (#match? @name "exports"))
