/** What searching, and building the index anew, print of their samples. */
export const SEARCH_EXPECTED = {
  search: `r:12345678 decision, fix-the-login-race-ab2c (superseded)
  Refresh 30 s early
  at src/session.ts:Session.refresh (changed since recorded)
  at docs/start.md (moved from README.md)
s:12345678 src/session.ts:12 Session.refresh, method
  refresh(now: number): void
s:87654321 src/a b.ts, file
fix-the-login-race-ab2c task, open (needs_attention)
  Fix the login race
… and more: --limit 8 shows more
`,
  reindex: `1200 files compared (3 MB), not all as it should be
  in memory  9000 symbols, 41 records
  as text    1 that a grammar failed on
             src/odd.py
  left out   3 that are binary, generated or minified
  not yet    4 that are read when first needed
  not seen   12 of code that is not at hand
  files      1 missing, 0 different, 3 left over
             version 0123456789ab
             src/lost.ts
`,
} as const
