import type { BlobId } from '../domain/code.ts'
import type { CommitId } from '../domain/repo.ts'
import { readBlobs } from './blobs.ts'
import type { GitPlace } from './git.ts'
import type { Host } from './host.ts'
import { listRawTree, notUtf8 } from './tree.ts'

/** What jj treats otherwise than git does: said when a repository is set up, and no reason to refuse. */
export type SurveyWarning = {
  readonly kind: 'submodules' | 'filters' | 'eol'
  readonly message: string
  /** Paths of the submodules, or of the `.gitattributes` concerned. */
  readonly paths: readonly string[]
}

const ATTRIBUTES_BYTES_MAX = 256 * 1024
const PATHS_MAX = 50

/**
 * Looks through a commit of trunk. Faults with `unsupported`, reason `non_utf8_trunk`, when a file
 * name is not UTF-8: jj could not open that commit at all.
 */
export async function surveyTrunk(
  host: Host,
  place: GitPlace,
  commit: CommitId,
): Promise<SurveyWarning[]> {
  const entries = await listRawTree(host, place, commit)
  const bad = entries.filter((entry) => !isUtf8(entry.name))
  if (bad.length > 0) throw notUtf8(bad.map((entry) => entry.name))
  const attributes = entries.filter((entry) => isAttributesFile(entry.name))
  const found: Record<SurveyWarning['kind'], string[]> = { submodules: [], filters: [], eol: [] }
  for (const entry of entries) {
    if (entry.mode === '160000') found.submodules.push(entry.name.toString('utf8'))
  }
  let next = 0
  const ids = attributes.map((entry) => entry.object as BlobId)
  for await (const { bytes } of readBlobs(host, place, ids, ATTRIBUTES_BYTES_MAX)) {
    const path = attributes[next++]?.name.toString('utf8') ?? ''
    const text = bytes?.toString('latin1') ?? ''
    if (/\sfilter=/.test(text)) found.filters.push(path)
    if (/\s(?:eol=crlf|working-tree-encoding=|ident)\b/.test(text)) found.eol.push(path)
  }
  return KINDS.flatMap((kind) => {
    const paths = found[kind]
    return paths.length === 0
      ? []
      : [{ kind, message: MESSAGES[kind], paths: paths.slice(0, PATHS_MAX) }]
  })
}

const KINDS = ['submodules', 'filters', 'eol'] as const

const MESSAGES = {
  submodules:
    'Submodules stay empty folders in workspaces, and files put in them are not recorded: builds that need them fail there.',
  filters:
    "Filters of .gitattributes (git-lfs and others) do not run in workspaces: agents see the pointers, and such files' changes cannot be submitted.",
  eol: 'Line ends and encodings set by .gitattributes are not converted in workspaces: agents see files as git stores them.',
} as const satisfies Record<SurveyWarning['kind'], string>

function isAttributesFile(name: Buffer): boolean {
  const text = name.toString('latin1')
  return text === '.gitattributes' || text.endsWith('/.gitattributes')
}

function isUtf8(name: Buffer): boolean {
  return Buffer.from(name.toString('utf8'), 'utf8').equals(name)
}
