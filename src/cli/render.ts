import type { Output } from '../api/routes.ts'
import type { CommandName } from './commands.ts'
import { contextRenderers } from './render/context.ts'
import type { Page, Rendered } from './render/page.ts'
import { reindexRenderers } from './render/reindex.ts'
import { repoRenderers } from './render/repos.ts'
import { reviewRenderers } from './render/review.ts'
import { searchRenderers } from './render/search.ts'
import { taskRenderers } from './render/tasks.ts'
import { trunkRenderers } from './render/trunk.ts'
import { whyRenderers } from './render/why.ts'
import { workRenderers } from './render/work.ts'

type Renderer<N extends CommandName> = (data: Output<N>, page: Page) => Rendered

/**
 * What a command's result says to a person. Ids stand first on a line, and what follows an id is a
 * space, a comma or the line's end, so that it can be picked with a double click or `cut`.
 */
export function render<N extends CommandName>(name: N, data: Output<N>, page: Page): Rendered {
  return RENDERERS[name](data, page)
}

/** Every command has one: leave it out and this does not compile. */
const RENDERERS: { readonly [N in CommandName]: Renderer<N> } = {
  ...repoRenderers,
  ...reindexRenderers,
  ...taskRenderers,
  ...workRenderers,
  ...reviewRenderers,
  ...trunkRenderers,
  ...whyRenderers,
  ...contextRenderers,
  ...searchRenderers,
}
