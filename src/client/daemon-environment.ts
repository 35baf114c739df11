import { type DaemonSettings, PG_VARIABLES } from '../api/identity.ts'

/** What a daemon's process needs besides its settings: its user, scratch space, trust, Postgres. */
const PASSED_ON = [
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  ...PG_VARIABLES,
] as const

/**
 * The whole environment of a daemon that a command starts: its settings as this command found them,
 * wherever they stood, and nothing of the shell, the agent or the repository it was called from.
 */
export function daemonEnvironment(
  settings: DaemonSettings & { readonly home: string },
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const value = env[name]
    if (value !== undefined) passed[name] = value
  }
  const { home, databaseUrl, leaseSecs, idleSecs } = settings
  const semantic = {
    AV_EMBED_URL: settings.embedUrl,
    AV_EMBED_MODEL: settings.embedUrl && settings.embedModel,
    AV_EMBED_KEY: settings.embedKey,
    AV_QDRANT_URL: settings.qdrantUrl,
    AV_QDRANT_API_KEY: settings.qdrantApiKey,
  }
  return {
    ...passed,
    ...Object.fromEntries(Object.entries(semantic).filter(([, value]) => value)),
    AV_HOME: home,
    ...(databaseUrl === '' ? {} : { AV_DATABASE_URL: databaseUrl }),
    AV_LEASE_SECS: String(leaseSecs),
    AV_IDLE_SECS: String(idleSecs),
  }
}
