import { describe, expect, test } from 'bun:test'
import { CodeLayout } from '../../src/domain/code-layout.ts'
import { LinkResolver } from '../../src/domain/link-resolver.ts'
import { packLinks } from '../../src/domain/packed-file.ts'
import { indexesOf, type Texts } from './code-of.ts'

/** What a file's links mean: `names -> paths`, those that mean nothing here as `names -> outside`. */
async function meant(texts: Texts, of: string, about = /./): Promise<string[]> {
  const files = (await indexesOf(texts)).map(([path, { language, links = [] }]) => {
    return { path, language, links: packLinks(links) }
  })
  const resolver = LinkResolver.of(new CodeLayout(files))
  const shuffled = LinkResolver.of(new CodeLayout(files.toReversed()))
  const show = (from: LinkResolver) =>
    from.resolve(from.layout.at(of)!).flatMap(({ kind, names, files: found }) => {
      const paths = found.map((number) => from.layout.files[number]!.path).join(' ')
      const line = `${kind === 'import' ? '' : `${kind} `}${names.join(',')} -> ${paths || 'outside'}`
      return about.test(line) ? [line] : []
    })
  expect(show(shuffled)).toEqual(show(resolver))
  return show(resolver)
}

describe('TypeScript and JavaScript', () => {
  test('relative paths, with and without extension, and folders', async () => {
    const texts = {
      'src/a.ts':
        "import { b } from './b'\nimport { c } from './c.js'\nimport { d } from '../lib'\nimport x from './none'\n",
      ...{ 'src/b.tsx': 'export const b = 1', 'src/c.ts': 'export const c = 1' },
      'lib/index.ts': 'export const d = 1',
    }
    expect(await meant(texts, 'src/a.ts')).toEqual([
      'b -> src/b.tsx',
      'c -> src/c.ts',
      'd -> lib/index.ts',
      'default -> outside',
    ])
  })

  test('paths and baseUrl of the nearest tsconfig, and of what it extends', async () => {
    const texts = {
      'tsconfig.base.json': '{"compilerOptions":{"paths":{"@/*":["./web/src/*"]}}}',
      'web/tsconfig.json': '{"extends":"../tsconfig.base","compilerOptions":{"baseUrl":"./src"}}',
      'web/src/a.ts':
        "import { b } from '@/deep/b'\nimport { c } from 'c'\nimport { r } from 'react'\n",
      ...{ 'web/src/deep/b.ts': 'export const b = 1', 'web/src/c.ts': 'export const c = 1' },
    }
    expect(await meant(texts, 'web/src/a.ts')).toEqual([
      'b -> web/src/deep/b.ts',
      'c -> web/src/c.ts',
      'r -> outside',
    ])
  })

  test('packages of the same repository, by what they are built from', async () => {
    const texts = {
      'packages/core/package.json':
        '{"name":"@x/core","main":"dist/index.js","exports":{"./util":"./dist/util.js"}}',
      ...{
        'packages/core/src/index.ts': 'export * from "./util"',
        'packages/core/src/util.ts': 'export const u = 1',
      },
      'app/a.ts':
        "import { i } from '@x/core'\nimport { u } from '@x/core/util'\nimport { n } from '@y/core'\n",
    }
    expect(await meant(texts, 'app/a.ts')).toEqual([
      'i -> packages/core/src/index.ts',
      'u -> packages/core/src/util.ts',
      'n -> outside',
    ])
  })
})

test('Python: src layouts, relative imports, submodules, and no local file for a foreign name', async () => {
  const texts = {
    'pyproject.toml': '[project]\nname = "shop"\n',
    ...{
      'src/shop/__init__.py': 'from .cart import Cart\n',
      'src/shop/cart.py': 'class Cart: pass\n',
    },
    ...{ 'src/shop/json/__init__.py': '', 'src/shop/json/tag.py': 'def tag(): pass\n' },
    'src/shop/app.py':
      'import json\nfrom . import cart\nfrom .json import tag\nfrom shop.cart import Cart\nimport requests\n',
    'tests/test_app.py': 'import shop\nfrom shop import Cart\n',
  }
  expect(await meant(texts, 'src/shop/app.py')).toEqual([
    '* -> outside',
    '* -> src/shop/cart.py',
    '* -> src/shop/json/tag.py',
    'Cart -> src/shop/cart.py',
    '* -> outside',
  ])
  expect(await meant(texts, 'tests/test_app.py')).toEqual([
    '* -> src/shop/__init__.py',
    'Cart -> src/shop/__init__.py',
  ])
  expect(await meant(texts, 'src/shop/__init__.py')).toEqual(['export Cart -> src/shop/cart.py'])
})

test('Go: packages of the module, the own package, tests only for tests', async () => {
  const texts = {
    'go.mod': 'module example.com/shop\n',
    'main.go': 'package main\nimport (\n"example.com/shop/cart"\n"fmt"\n)\n',
    ...{ 'cart/cart.go': 'package cart\n', 'cart/sum.go': 'package cart\n' },
    'cart/sum_test.go': 'package cart\n',
  }
  expect(await meant(texts, 'main.go')).toEqual(['* -> cart/cart.go cart/sum.go', '* -> outside'])
  expect(await meant(texts, 'cart/cart.go')).toEqual(['around * -> cart/sum.go'])
  expect(await meant(texts, 'cart/sum_test.go')).toEqual(['around * -> cart/cart.go cart/sum.go'])
})

test('Rust: crate, self, super, other crates of the workspace, items behind the last module', async () => {
  const texts = {
    ...{ 'lib/Cargo.toml': '[package]\nname = "shop-lib"\n', 'lib/src/lib.rs': 'pub mod cart;\n' },
    ...{
      'lib/src/cart.rs': 'mod sum;\nuse super::Other;\n',
      'lib/src/cart/sum.rs': 'use super::Cart;\nuse crate::cart::{self, Item};\n',
    },
    'cli/Cargo.toml': '[package]\nname = "cli"\n',
    'cli/src/main.rs':
      'mod args;\nuse shop_lib::cart::Cart;\nuse args::Args;\nuse serde::Serialize;\n',
    'cli/src/args/mod.rs': 'pub use shop_lib::cart::*;\n',
  }
  expect(await meant(texts, 'lib/src/cart/sum.rs')).toEqual([
    'Cart -> lib/src/cart.rs',
    ' -> lib/src/cart.rs',
    'Item -> lib/src/cart.rs',
  ])
  expect(await meant(texts, 'lib/src/cart.rs')).toEqual([
    ' -> lib/src/cart/sum.rs',
    'Other -> lib/src/lib.rs',
  ])
  expect(await meant(texts, 'cli/src/main.rs')).toEqual([
    ' -> cli/src/args/mod.rs',
    'Cart -> lib/src/cart.rs',
    'Args -> cli/src/args/mod.rs',
    'Serialize -> outside',
  ])
  expect(await meant(texts, 'cli/src/args/mod.rs')).toEqual(['export * -> lib/src/cart.rs'])
})

test('Java, Kotlin and Scala: by declared package, across the three, members of types', async () => {
  const texts = {
    'a/src/Cart.java': 'package shop.cart;\nclass Cart {}\n',
    'a/src/Sum.kt': 'package shop.cart\nfun sum() = 1\n',
    'b/Main.java':
      'package shop;\nimport shop.cart.Cart;\nimport static shop.cart.Cart.total;\nimport java.util.List;\n',
    'b/All.scala': 'package shop.all\nimport shop.cart._\n',
  }
  expect(await meant(texts, 'b/Main.java')).toEqual([
    'Cart -> a/src/Cart.java',
    'Cart,total -> a/src/Cart.java',
    'List -> outside',
  ])
  expect(await meant(texts, 'b/All.scala')).toEqual(['* -> a/src/Cart.java a/src/Sum.kt'])
  expect(await meant(texts, 'a/src/Cart.java')).toEqual(['around * -> a/src/Sum.kt'])
})

test('C and C++: a header beside or by the end of its path, with what implements it', async () => {
  const texts = {
    ...{
      'include/shop/cart.h': 'int total(int);\n',
      'src/cart.c': '#include "shop/cart.h"\nint total(int a) { return a; }\n',
    },
    'src/main.c': '#include "shop/cart.h"\n#include "own.h"\n#include <stdio.h>\n',
    'src/own.h': 'int own(void);\n',
  }
  expect(await meant(texts, 'src/main.c')).toEqual([
    '* -> include/shop/cart.h src/cart.c',
    '* -> src/own.h',
    '* -> outside',
  ])
})

test('C#, PHP, Ruby and shells', async () => {
  const sharp = {
    'Cart.cs': 'namespace Shop.Carts;\nclass Cart {}\n',
    'Main.cs': 'using Shop.Carts;\nusing System;\nnamespace Shop;\nclass M {}\n',
  }
  expect(await meant(sharp, 'Main.cs')).toEqual(['* -> Cart.cs', '* -> outside'])
  const php = {
    'src/Cart.php': '<?php\nnamespace Shop;\nclass Cart {}\n',
    'src/Web/Page.php': '<?php\nnamespace Shop\\Web;\nuse Shop\\Cart;\nuse Psr\\Log;\n',
  }
  expect(await meant(php, 'src/Web/Page.php')).toEqual(['Cart -> src/Cart.php', 'Log -> outside'])
  const ruby = {
    ...{ 'lib/shop.rb': "require 'shop/cart'\nrequire_relative 'sum'\nrequire 'json'\n" },
    ...{ 'lib/shop/cart.rb': '', 'lib/sum.rb': 'def sum; end\n' },
  }
  expect(await meant(ruby, 'lib/shop.rb')).toEqual([
    '* -> lib/shop/cart.rb',
    '* -> lib/sum.rb',
    '* -> outside',
  ])
  const shell = { 'bin/a.sh': '. "$HERE/lib/b.sh"\n', 'lib/b.sh': 'b() { :; }\n' }
  expect(await meant(shell, 'bin/a.sh')).toEqual(['* -> lib/b.sh'])
})

test('nothing that a file says leads out of the repository or into the engine', async () => {
  const texts = {
    'a.ts':
      "import a from '../../etc/passwd'\nimport b from '__proto__'\nimport c from './constructor'\n",
    'b.py': 'from .....x import y\nimport __proto__\n',
    'c.rs': 'use super::super::super::x;\nuse constructor::y;\n',
  }
  for (const path of Object.keys(texts)) {
    for (const line of await meant(texts, path)) expect(line).toEndWith('-> outside')
  }
})
