/** What the commands of handing over, review and merge print of their samples. */
export const REVIEW_EXPECTED = {
  'task.file': `fix-the-login-race-ab2c open, no owner
  Fix the login race
  offered  to ben
`,
  submit: `fix-the-login-race-ab2c in_review, owner ada
  Fix the login race
  no record says why: src/session.ts:Session.end
`,
  handoff: `fix-the-login-race-ab2c handed_off, owner ada, needs_attention
  Fix the login race

# Handoff of x
- goal: y
`,
  'handoff.show': `# Handoff of x
- goal: y
`,
  claim: `fix-the-login-race-ab2c open, owner ada
  Fix the login race
  workspace  /home/ada/ws/hono/fix-the-login-race-ab2c
  claim      generation 2, after ben who held it since 3 hours ago
`,
  abandon: `fix-the-login-race-ab2c abandoned, owner ada, needs_attention
  Fix the login race
  recover  av task start "GOAL" --from 0123456789abcdef0123456789abcdef01234567
`,
  'review.list': `fix-the-login-race-ab2c in_review, owner ada
  Fix the login race
  2 files, 1 symbol; approved by mei; 1 open point; failing: unit; waiting since 3 minutes ago
… and more: --limit 2 shows more
`,
  'review.show': `fix-the-login-race-ab2c in_review, owner ada
  Fix the login race
  checkpoint  0123456789ab
  approval    void: it conflicts with trunk

Changes
  modified  src/session.ts
  no record says why: src/session.ts:Session.end

Why
r:12345678 decision, ada, 30 seconds ago, fix-the-login-race-ab2c (superseded)
  Refresh 30 s early
  at src/session.ts:Session.refresh (changed since recorded)
  at docs/start.md (moved from README.md)
  supersedes r:00000001, r:00000002, superseded by r:00000009, from rcp:12345678
    Clocks drift.

      They do.

Points
r:000000aa review, mei, 30 seconds ago, fix-the-login-race-ab2c
  Name the margin
  at src/session.ts:Session.refresh (changed since recorded)
  at docs/start.md (moved from README.md)
  open
    ada: MARGIN_MS it is

Checks
  unit failed with 1, on 0123456789ab and changes beyond it, says ada, bun test, 3 minutes ago
  lint passed, on 0123456789ab, says ada, 3 minutes ago

Verdicts
  approved by mei, at 0123456789ab, 3 minutes ago, carried to a newer trunk, over README.md, does not count any more
  changes asked for by ada (its own owner), at fedcba987654, 3 minutes ago
`,
  'review.resolve': `r:000000aa resolved
  Name the margin
`,
  approve: `fix-the-login-race-ab2c in_review, owner ada
  Fix the login race
  approved  by mei
`,
  'request-changes': `fix-the-login-race-ab2c open, owner ada
  Fix the login race
`,
  attest: `fix-the-login-race-ab2c unit failed with 1, on 0123456789ab and changes beyond it, says ada, bun test
`,
  merge: `fix-the-login-race-ab2c conflicted, owner ada
  Fix the login race
  approval   void: it conflicts with trunk
  conflicts  src/session.ts
  conflict  src/session.ts
    this task: fix-the-login-race-ab2c Fix the login race
    on trunk: a-b2cd Log out all sessions
    r:12345678 decision: Refresh 30 s early
`,
  resolve: `fix-the-login-race-ab2c open, owner ada
  Fix the login race
`,
  undo: `fix-the-login-race-ab2c in_review, owner ada
  Fix the login race
  approved  by mei
`,
  revert: `fix-the-login-race-ab2c merged, owner ada, reverted
  Fix the login race
  approved  by mei
  landed    as fedcba987654
`,
  sync: `hono trunk main at fedcba987654, was at 0123456789ab, moved by force
a-b2cd was left half-way, and is finished
c-d2ef was left half-way, and is given up
fix-the-login-race-ab2c landed elsewhere as fedcba987654, by Mei
1 folder of merged tasks removed
kept /home/ada/ws/hono/other: It was changed after the merge.
`,
} as const
