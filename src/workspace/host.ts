/** What this module needs of the process it runs in: nothing here reads the environment itself. */
export type Host = {
  /** The caller's environment; children get it less what could bend git or jj. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The jj program: a path, or a name to look up on the PATH. */
  readonly jj: string
  /** `AV_HOME`, absolute. */
  readonly home: string
  /** Open files that children inherit, so that a lock is known to be theirs too (see `withLock`). */
  readonly lifelines?: readonly number[]
}

/**
 * The environment of every child process. What the caller had set for jj, git or av itself is
 * left out: `GIT_DIR` of a hook, `JJ_CONFIG` of a person or a database password must not reach a
 * command that works on somebody's repository.
 */
export function childEnv(
  host: Host,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(host.env)) {
    if (value !== undefined && !/^(?:JJ|GIT|AV)_/.test(name)) env[name] = value
  }
  return { ...env, ...FIXED, ...extra }
}

const FIXED = {
  // Empty: neither the user's nor the system's jj configuration counts, the store's own does.
  JJ_CONFIG: '',
  JJ_USER: 'av',
  JJ_EMAIL: 'av@localhost',
  JJ_OP_USERNAME: 'av',
  JJ_OP_HOSTNAME: 'localhost',
  JJ_EDITOR: 'false',
  LC_ALL: 'C.UTF-8',
  NO_COLOR: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
} as const
