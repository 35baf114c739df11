import { describe, expect, test } from 'bun:test'
import { LINK_NAMES_MAX, LINKS_MAX } from '../../src/domain/code.ts'
import { linksOf } from '../../src/source/links.ts'
import { indexOf } from './indexed.ts'

/** What a text says, and the links it has; a link's parts separated by spaces. */
const CASES: readonly (readonly [kind: string, text: string, links: readonly string[]])[] = [
  ['typescript', "import a, { b as c, type D } from './x'", ['import ./x b D default']],
  ['typescript', "import type { E } from '../y.js'", ['import ../y.js E']],
  ['typescript', "import type T from './t'", ['import ./t default']],
  ['typescript', "import * as ns from 'pkg'", ['import pkg *']],
  ['typescript', "import './side'", ['import ./side']],
  ['typescript', "export { m as n,\n  o } from './mn'", ['export ./mn m o']],
  ['typescript', "export * from './r'\nexport * as P from './p'", ['export ./r *', 'export ./p *']],
  ['typescript', "export const z = 1\nimport {q} from './q'", ['import ./q q']],
  ['typescript', "const w = await import('./dyn')", ['import ./dyn *']],
  ['typescript', "import fs = require('./fs')", ['import ./fs *']],
  ['typescript', "// import { a } from './no'\nconst from = './x'", []],
  ['tsx', "import React from 'react'", ['import react default']],
  ['javascript', "const { f, g: h } = require('./req')", ['import ./req f g']],
  ['javascript', "const p = require('./p').inner", ['import ./p *']],
  ['python', 'from . import a, b', ['import . a b']],
  ['python', 'from .x.y import (c as d,  # why\n  e)', ['import .x.y c e']],
  ['python', 'from a import b, \\\n  c', ['import a b c']],
  ['python', 'from m import *', ['import m *']],
  ['python', 'import foo.bar as z, os', ['import foo.bar *', 'import os *']],
  ['python', 'def f():\n    from ..pkg import g', ['import ..pkg g']],
  ['go', 'import "fmt"', ['import fmt *']],
  [
    'go',
    'import (\n  m "github.com/g/mux"\n\n  _ "x/y"\n)',
    ['import github.com/g/mux *', 'import x/y *'],
  ],
  [
    'rust',
    'use crate::a::{b, c::{self, d as e}};',
    ['import crate::a b', 'import crate::a::c', 'import crate::a::c d'],
  ],
  ['rust', 'use std::collections::HashMap;', ['import std::collections HashMap']],
  ['rust', 'pub use self::x::Y;\npub(crate) mod bar;', ['export self::x Y', 'import self::bar']],
  ['rust', 'mod tests {\n    use super::*;\n}', []],
  ['java', 'package a.b;\nimport a.b.C;', ['package a.b', 'import a.b C']],
  ['java', 'import static a.b.C.d;\nimport a.c.*;', ['import a.b.C d', 'import a.c *']],
  ['kotlin', 'package a.b\nimport a.c.D as E', ['package a.b', 'import a.c D']],
  ['scala', 'import a.b.{C, D => E, _}', ['import a.b C D *']],
  ['scala', 'import x.y._', ['import x.y *']],
  ['c', '#include "a/b.h"\n#  include <stdio.h>', ['import a/b.h *', 'import stdio.h *']],
  ['cpp', 'using namespace std;\n#include "x.hpp"', ['import x.hpp *']],
  ['c-sharp', 'using A.B;\nusing static A.C;', ['import A.B *', 'import A.C *']],
  ['c-sharp', 'namespace A.B;', ['package A.B']],
  ['ruby', 'require \'a/b\'\nrequire_relative "x"', ['import a/b *', 'import ./x *']],
  ['ruby', "autoload :Foo, 'a/foo'", ['import a/foo Foo']],
  ['php', '<?php\nnamespace A\\B;\nuse A\\C;', ['package A\\B', 'import A C']],
  ['php', 'use A\\{D, function e};\nuse function A\\f;', ['import A D e', 'import A f']],
  ['php', "class X {\n  use T;\n}\nrequire __DIR__ . '/y.php';", ['import ./y.php *']],
  ['bash', 'source ./a.sh\n. "$DIR/b.sh"', ['import ./a.sh *', 'import ./b.sh *']],
  [
    'tsconfig',
    '{ // c\n "extends": "../base.json", "compilerOptions": {"baseUrl":"./src","paths":{"@/*":["lib/*"],}}}',
    ['import ../base.json', 'root ./src', 'alias @/* ./src/lib/*'],
  ],
  [
    'package-json',
    '{"name":"@a/b","main":"dist/i.js","exports":{"./x":{"default":"./x.js"}},"imports":{"#k":"./k.ts"}}',
    ['package @a/b', 'alias #k ./k.ts', 'alias @a/b/x ./x.js', 'alias @a/b dist/i.js'],
  ],
  ['go-mod', 'module github.com/x/y\n\ngo 1.26', ['package github.com/x/y']],
  ['cargo', '[package]\nname = "a-b"\n[lib]\npath = "src/l.rs"', ['package a_b', 'root src/l.rs']],
  ['pyproject', '[tool.setuptools.packages.find]\nwhere = ["src"]', ['root src']],
  ['pyproject', '[tool.poetry]\npackages = [{include = "x", from = "lib"}]', ['root lib']],
  ['cargo', 'not [ toml', []],
  ['tsconfig', '{"compilerOptions": 7}', []],
  ['markdown', "import a from './x'", []],
]

describe('the links of', () => {
  for (const [kind, text, links] of CASES) {
    test(`${kind}: ${text.replaceAll('\n', ' ⏎ ').slice(0, 60)}`, () => {
      expect(linksOf(kind, text).map((link) => link.join(' '))).toEqual([...links])
    })
  }
})

test('a file of the index has its links; one without any has no word of them', async () => {
  const linked = await indexOf('src/a.ts', "import { b } from './b'\nexport const a = b\n")
  expect(linked.links).toEqual([['import', './b', 'b']])
  expect(Object.keys(await indexOf('src/b.ts', 'export const b = 1\n'))).not.toContain('links')
})

test('a project file is known by its name, whatever the same bytes are called elsewhere', async () => {
  const text = '{"compilerOptions":{"paths":{"@/*":["src/*"]}}}\n'
  expect((await indexOf('tsconfig.build.json', text)).links).toEqual([['alias', '@/*', 'src/*']])
  expect((await indexOf('other.json', text)).links).toBeUndefined()
})

test('a link with a secret in its line is read without it', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const { links } = await indexOf(
    'a.ts',
    `import { b } from './${token}'\nimport { c } from './c'\n`,
  )
  expect(JSON.stringify(links)).not.toContain(token)
  expect(links?.at(-1)).toEqual(['import', './c', 'c'])
})

test('hostile text neither passes the bounds nor takes more than time in proportion', () => {
  const many = linksOf(
    'python',
    'import a\nfrom b import c\n'.repeat(50_000) + names('import m', 5_000),
  )
  expect(many.length).toBeLessThanOrEqual(LINKS_MAX)
  const [wide] = linksOf('typescript', `import {${names('n', 900)}} from './x'`)
  expect(wide?.length).toBe(2 + LINK_NAMES_MAX)
  const hostile = [
    'import {'.repeat(40_000),
    `import ${'a,'.repeat(100_000)}`,
    `use ${'a::{'.repeat(30_000)}`,
    `import (${'"'.repeat(60_000)}`,
    `from a import (${'b,'.repeat(60_000)}`,
    `const {${' '.repeat(100_000)}`,
    `#include "${'a'.repeat(100_000)}`,
  ]
  for (const text of hostile) {
    for (const kind of ['typescript', 'python', 'go', 'rust', 'java', 'c', 'php', 'ruby', 'bash']) {
      expect(linksOf(kind, text).length).toBeLessThanOrEqual(LINKS_MAX)
    }
  }
})

function names(before: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${before}${at}`).join(
    before === 'n' ? ',' : '\n',
  )
}
