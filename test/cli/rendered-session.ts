/** What people read of `sessionSamples`. */
export const SESSION_EXPECTED = {
  'session.list': `s-1 ada, claude-code, has 2 items, reset 1 time, 3 minutes ago
s-1/agent-7 has 1 item, 3 minutes ago
… and more: --limit 4 shows more
`,
  'session.show': `s-1 ada, claude-code, has 2 items, reset 1 time, 3 minutes ago
  r:12345678 full, ada, rcp:12345678, 1 hour ago
  map:src/ handle, claude-code, rcp:12345678, 1 hour ago
… and more: --limit 4 shows more
`,
  'session.reset': 's-1 is sent everything again, 2 items forgotten\n',
} as const
