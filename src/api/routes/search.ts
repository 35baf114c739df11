import { z } from 'zod'
import { FOUND_KINDS } from '../../domain/found.ts'
import { arg, flag, limit, supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import type { SearchView } from '../search-view.ts'
import { codeView } from './code.ts'
import { repo } from './repos.ts'

export const searchRoutes = {
  search: {
    summary: 'Search records, code and tasks by words; the best first.',
    group: 'context',
    mcp: true,
    input: () =>
      z.strictObject({
        words: arg(z.array(text(1_000)).min(1).max(50), {
          description: 'What to look for: words, names, paths.',
          positional: true,
          value: 'WORD',
        }),
        kind: arg(z.enum(FOUND_KINDS).optional(), { description: 'Only of this kind.' }),
        all: arg(flag(), { description: 'Superseded records too.' }),
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
        view: codeView(),
        indexing: supplied(z.boolean(), 'The index of the view is still being built.'),
      }),
    output: returns<SearchView>(),
  },
} as const satisfies Record<string, Route>
