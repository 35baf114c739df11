/**
 * The public histories that the table learns from: each under a licence that lets its text be read
 * for this, none of them a repository that the benchmarks measure on. `commit` is where it is read
 * from; a clone that has moved on is read from there all the same.
 */
export const HISTORIES: readonly TrainingHistory[] = [
  {
    repo: 'rust-lang/cargo',
    licence: 'MIT OR Apache-2.0',
    commit: 'af373f761aa4e42b093c2e453078fd73c8ce54dd',
  },
  { repo: 'vitejs/vite', licence: 'MIT', commit: 'a98c8d95d552c6fa98ab66fb810f5b39ad5abf49' },
  { repo: 'cli/cli', licence: 'MIT', commit: '44ee17760709bedf1cad7e452e61751489b81a33' },
  { repo: 'laravel/framework', licence: 'MIT', commit: 'bd71b45fbb7e672957bf6ff61baddefe15fbca6a' },
  { repo: 'tokio-rs/tokio', licence: 'MIT', commit: 'ea91b33ca57ff0581b38e735cc108f831bccbdaa' },
  { repo: 'pytest-dev/pytest', licence: 'MIT', commit: 'df87db7b0462fb764ef73fa00561adf8ad047572' },
  { repo: 'eslint/eslint', licence: 'MIT', commit: 'c27bc926e496985eb7911c09eb60914b2e4b5d0f' },
  {
    repo: 'astral-sh/uv',
    licence: 'MIT OR Apache-2.0',
    commit: '26a9dd4b2125bc271b47855e1fa0c49af3365db5',
  },
  {
    repo: 'caddyserver/caddy',
    licence: 'Apache-2.0',
    commit: '0cf03d32f7d99cf160d5375e8a40fbe3d910d515',
  },
  {
    repo: 'ktorio/ktor',
    licence: 'Apache-2.0',
    commit: 'ef92e5537d7465961f1b3f2b21e217fc35bcfa1f',
  },
  { repo: 'vuejs/core', licence: 'MIT', commit: 'e2bede96134f757aad5c5b33ac9be055022dbfc8' },
  {
    repo: 'celery/celery',
    licence: 'BSD-3-Clause',
    commit: '5dc781f0bd5f36186bfcc74e0a4f9f654452c69b',
  },
]

/** What its clone and the file of its pairs are called. */
export function nameOf({ repo }: TrainingHistory): string {
  return repo.replace('/', '+')
}

export type TrainingHistory = {
  readonly repo: `${string}/${string}`
  /** SPDX. */
  readonly licence: string
  readonly commit: string
}
