(impl_item type: (_) @name) @scope
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @class
(union_item name: (_) @name) @class
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @interface
(source_file (type_item name: (_) @name) @type)
(mod_item body: (declaration_list (type_item name: (_) @name) @type))
(mod_item name: (_) @name body: (_)) @module
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(macro_definition name: (_) @name) @macro
