import bashWasm from '../../dist/assets/grammars/bash.wasm.zst' with { type: 'file' }
import cWasm from '../../dist/assets/grammars/c.wasm.zst' with { type: 'file' }
import cSharpWasm from '../../dist/assets/grammars/c-sharp.wasm.zst' with { type: 'file' }
import cppWasm from '../../dist/assets/grammars/cpp.wasm.zst' with { type: 'file' }
import goWasm from '../../dist/assets/grammars/go.wasm.zst' with { type: 'file' }
import javaWasm from '../../dist/assets/grammars/java.wasm.zst' with { type: 'file' }
import javascriptWasm from '../../dist/assets/grammars/javascript.wasm.zst' with { type: 'file' }
import kotlinWasm from '../../dist/assets/grammars/kotlin.wasm.zst' with { type: 'file' }
import phpWasm from '../../dist/assets/grammars/php.wasm.zst' with { type: 'file' }
import pythonWasm from '../../dist/assets/grammars/python.wasm.zst' with { type: 'file' }
import rubyWasm from '../../dist/assets/grammars/ruby.wasm.zst' with { type: 'file' }
import rustWasm from '../../dist/assets/grammars/rust.wasm.zst' with { type: 'file' }
import scalaWasm from '../../dist/assets/grammars/scala.wasm.zst' with { type: 'file' }
import tsxWasm from '../../dist/assets/grammars/tsx.wasm.zst' with { type: 'file' }
import typescriptWasm from '../../dist/assets/grammars/typescript.wasm.zst' with { type: 'file' }
import runtimeWasm from '../../node_modules/web-tree-sitter/web-tree-sitter.wasm' with {
  type: 'file',
}
import type { GrammarName } from './languages.ts'

/** A grammar, or `runtime`: the parser that grammars plug into. */
export type ModuleName = GrammarName | 'runtime'

const FILES = {
  runtime: runtimeWasm,
  bash: bashWasm,
  c: cWasm,
  'c-sharp': cSharpWasm,
  cpp: cppWasm,
  go: goWasm,
  java: javaWasm,
  javascript: javascriptWasm,
  kotlin: kotlinWasm,
  php: phpWasm,
  python: pythonWasm,
  ruby: rubyWasm,
  rust: rustWasm,
  scala: scalaWasm,
  tsx: tsxWasm,
  typescript: typescriptWasm,
} as const satisfies Record<ModuleName, string>

const compiled = new Map<ModuleName, Promise<WebAssembly.Module>>()
let lender: ((name: ModuleName) => Promise<WebAssembly.Module>) | null = null

/**
 * A module, compiled once a process: threads that share one share the machine code that the engine makes of it while
 * it runs, too. Rejects where the file is not what the build puts there.
 */
export function wasmModule(name: ModuleName): Promise<WebAssembly.Module> {
  let module = compiled.get(name)
  if (module === undefined) {
    module = (lender ?? compile)(name)
    compiled.set(name, module)
  }
  return module
}

/** Has this thread take its modules from another one. */
export function borrowModules(from: (name: ModuleName) => Promise<WebAssembly.Module>): void {
  lender = from
}

async function compile(name: ModuleName): Promise<WebAssembly.Module> {
  const bytes = await Bun.file(FILES[name]).bytes()
  return WebAssembly.compile(name === 'runtime' ? bytes : Bun.zstdDecompressSync(bytes))
}
