; Class fields, which JavaScript's grammar names otherwise than TypeScript's.
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
(field_definition "static" property: (_) @name) @constant
