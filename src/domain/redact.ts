/**
 * Takes secrets out of text before it is stored, logged or indexed. A table of our own rather than
 * a linter's rule set: it must be pure and synchronous (log lines pass it too), and repository text
 * must not be able to switch a rule off by a comment, as linters allow.
 *
 * Each secret becomes `[redacted:<name>]`; what surrounds it stays. Patterns have bounded
 * quantifiers only, so hostile text cannot make them slow.
 */
export function redact(text: string): Redacted {
  return redactAs(text, (name) => `[redacted:${name}]`)
}

/** The same for a file: each line stays where it was, also behind a secret of several lines. */
export function redactLines(text: string): Redacted {
  return redactAs(text, (name, secret) => `[redacted:${name}]${secret.replace(/[^\n]+/g, '')}`)
}

function redactAs(text: string, mark: (name: string, secret: string) => string): Redacted {
  let count = 0
  let out = text
  for (const rule of RULES) {
    out = out.replace(rule.pattern, (...found: unknown[]) => {
      const groups = found.at(-1) as { readonly before?: string; readonly secret?: string }
      const whole = String(found[0])
      if (whole.includes('[redacted:')) return whole
      if (rule.looksSecret && !rule.looksSecret(groups.secret ?? whole)) return whole
      count++
      return `${groups.before ?? ''}${mark(rule.name, whole)}`
    })
  }
  return { text: out, count }
}

export type Redacted = {
  readonly text: string
  /** How many spans were replaced. */
  readonly count: number
}

type Rule = {
  readonly name: string
  /** Global; `before` is kept, the rest of the match goes. */
  readonly pattern: RegExp
  readonly looksSecret?: (secret: string) => boolean
}

const RULES: readonly Rule[] = [
  {
    name: 'private-key',
    pattern:
      /(?<before>)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,16384}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: 'aws-key', pattern: /(?<before>)\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  { name: 'github-token', pattern: /(?<before>)\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g },
  { name: 'github-token', pattern: /(?<before>)\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g },
  {
    name: 'gitlab-token',
    pattern: /(?<before>)\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{20,255}/g,
  },
  { name: 'anthropic-key', pattern: /(?<before>)\bsk-ant-[A-Za-z0-9_-]{20,255}/g },
  {
    name: 'openai-key',
    pattern: /(?<before>)\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,255}/g,
  },
  { name: 'google-key', pattern: /(?<before>)\bAIza[A-Za-z0-9_-]{35}/g },
  { name: 'google-oauth', pattern: /(?<before>)\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,255}/g },
  { name: 'slack-token', pattern: /(?<before>)\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  {
    name: 'slack-webhook',
    pattern: /(?<before>)https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/_-]{20,200}/g,
  },
  {
    name: 'discord-webhook',
    pattern:
      /(?<before>)https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/[\w/-]{20,200}/g,
  },
  {
    name: 'stripe-key',
    pattern: /(?<before>)\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}\b/g,
  },
  { name: 'npm-token', pattern: /(?<before>)\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'pypi-token', pattern: /(?<before>)\bpypi-[A-Za-z0-9_-]{40,255}/g },
  { name: 'huggingface-token', pattern: /(?<before>)\bhf_[A-Za-z0-9]{30,255}\b/g },
  {
    name: 'sendgrid-key',
    pattern: /(?<before>)\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g,
  },
  { name: 'digitalocean-token', pattern: /(?<before>)\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  { name: 'shopify-token', pattern: /(?<before>)\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g },
  { name: 'telegram-token', pattern: /(?<before>)\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/g },
  { name: 'age-key', pattern: /(?<before>)\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g },
  { name: 'vault-token', pattern: /(?<before>)\bhv[sbr]\.[A-Za-z0-9_-]{24,255}/g },
  {
    name: 'jwt',
    pattern:
      /(?<before>)\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,1024}/g,
  },
  {
    name: 'authorization',
    pattern:
      /(?<before>\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})[A-Za-z0-9._~+/=-]{8,4096}/gi,
  },
  {
    name: 'bearer',
    pattern: /(?<before>\bbearer\s{1,4})(?<secret>[A-Za-z0-9._~+/=-]{20,4096})/gi,
    looksSecret: isMixed,
  },
  {
    name: 'url-password',
    pattern:
      /(?<before>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'`<>]{0,200}:)[^\s/?#@"'`<>]{1,500}(?=@)/gi,
  },
  {
    name: 'secret',
    pattern:
      /(?<before>\b[\w.-]{0,60}?(?:api[_-]?key|secret|token|passw(?:or)?d|passphrase|private[_-]?key|access[_-]?key|credential)[\w-]{0,30}["']?\s{0,4}(?::=|=>|[:=](?![:=]))\s{0,4}["'`]?)(?<secret>[^\s"'`,;(){}[\]<>]{8,500})/gi,
    looksSecret: isAssignedSecret,
  },
]

/** Letters and digits both, as generated tokens have and prose has not. */
function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text)
}

/** An assigned value that was generated or chosen as a secret, not a name, a path, a type or a placeholder. */
function isAssignedSecret(value: string): boolean {
  if (
    /^(?:process|env|os|config|self|this|settings)\b|^\$|^%|^<|\.\.\.|x{4,}|\*{3,}/i.test(value)
  ) {
    return false
  }
  if (/^(?:true|false|null|none|undefined|required|optional|string|number|boolean)$/i.test(value)) {
    return false
  }
  if (isIdentifier(value)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.\-/]/].filter((kind) => kind.test(value))
  return kinds.length >= 3 || (value.length >= 16 && isMixed(value) && !/[/.]/.test(value))
}

/** Words run together, as a type or a function is named: `AccessTokenV2Response`. */
function isIdentifier(value: string): boolean {
  if (!/^[A-Za-z_$]+\d{0,2}[A-Za-z_$]*$/.test(value)) return false
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  return words.join('').length / words.length >= 4
}
