/** The repository that the demo makes: a session store and two handlers. Path → text. */
export const DEMO_FILES = {
  'README.md': '# Shop\n\nSessions and two handlers, to show av at work.\n',
  'src/session.ts': `/** One sign-in of one user. Times are milliseconds since the epoch. */
export class Session {
  constructor(
    readonly id: string,
    readonly user: string,
    public expiresAt: number,
  ) {}

  /** Prolongs the session when its time has come. */
  refresh(now: number): boolean {
    if (now >= this.expiresAt) {
      this.expiresAt = now + SESSION_MS
      return true
    }
    return false
  }
}

export const SESSION_MS = 15 * 60 * 1000

/** All sessions, in memory. */
export class SessionStore {
  private readonly sessions = new Map<string, Session>()

  add(session: Session): void {
    this.sessions.set(session.id, session)
  }

  sessionsOf(user: string): Session[] {
    return [...this.sessions.values()].filter((session) => session.user === user)
  }

  end(id: string): void {
    this.sessions.delete(id)
  }
}
`,
  'src/api/login.ts': `import { Session, SESSION_MS, type SessionStore } from '../session.ts'
import { checkPassword } from '../password.ts'
import { fail, ok, type Result } from './result.ts'

/** Signs a user in. */
export function login(store: SessionStore, user: string, password: string): Result<Session> {
  if (!checkPassword(user, password)) return fail('wrong user or password')
  const session = new Session(crypto.randomUUID(), user, Date.now() + SESSION_MS)
  store.add(session)
  return ok(session)
}
`,
  'src/api/change-password.ts': `import { checkPassword, setPassword } from '../password.ts'
import { fail, ok, type Result } from './result.ts'

/** Changes the password of a user who knows the old one. */
export function changePassword(user: string, old: string, fresh: string): Result<null> {
  if (!checkPassword(user, old)) return fail('wrong password')
  setPassword(user, fresh)
  return ok(null)
}
`,
  'src/api/result.ts': `export type Result<T> = { ok: true; value: T } | { ok: false; error: string }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const fail = <T>(error: string): Result<T> => ({ ok: false, error })
`,
  'src/password.ts': `const passwords = new Map<string, string>()

/** Whether this is the user's password. */
export function checkPassword(user: string, password: string): boolean {
  return passwords.get(user) === password
}

export function setPassword(user: string, password: string): void {
  passwords.set(user, password)
}
`,
} as const
