import type { GrammarName } from './languages.ts'
import bashQuery from './queries/bash.scm' with { type: 'text' }
import cQuery from './queries/c.scm' with { type: 'text' }
import cSharpQuery from './queries/c-sharp.scm' with { type: 'text' }
import cppQuery from './queries/cpp.scm' with { type: 'text' }
import fieldsQuery from './queries/ecmascript-fields.scm' with { type: 'text' }
import goQuery from './queries/go.scm' with { type: 'text' }
import javaQuery from './queries/java.scm' with { type: 'text' }
import javascriptQuery from './queries/javascript.scm' with { type: 'text' }
import kotlinQuery from './queries/kotlin.scm' with { type: 'text' }
import phpQuery from './queries/php.scm' with { type: 'text' }
import pythonQuery from './queries/python.scm' with { type: 'text' }
import rubyQuery from './queries/ruby.scm' with { type: 'text' }
import rustQuery from './queries/rust.scm' with { type: 'text' }
import scalaQuery from './queries/scala.scm' with { type: 'text' }
import typescriptQuery from './queries/typescript.scm' with { type: 'text' }

/** What counts as a definition in each language, in tree-sitter's query language (see `capturedDefinitions`). */
export const QUERIES = {
  bash: bashQuery,
  c: cQuery,
  'c-sharp': cSharpQuery,
  cpp: cQuery + cppQuery,
  go: goQuery,
  java: javaQuery,
  javascript: javascriptQuery + fieldsQuery,
  kotlin: kotlinQuery,
  php: phpQuery,
  python: pythonQuery,
  ruby: rubyQuery,
  rust: rustQuery,
  scala: scalaQuery,
  tsx: javascriptQuery + typescriptQuery,
  typescript: javascriptQuery + typescriptQuery,
} as const satisfies Record<GrammarName, string>
