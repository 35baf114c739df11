(class name: (_) @name) @class
(module name: (_) @name) @module
(singleton_class) @scope
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
