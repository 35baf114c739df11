import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const COPIED = [
  'src',
  'migrations',
  'scripts',
  'test/model',
  'test/support',
  'package.json',
] as const
/** What the tests and the build made before. */
const LINKED = ['node_modules', 'dist'] as const

type Change = { readonly file: string; readonly from: string; readonly to: string }

/** The program with one of its safeguards taken out, wherever it is judged. A checker that passes these checks nothing. */
export const MUTANTS: Readonly<Record<string, readonly Change[]>> = {
  /** Any claim of the same name and session is as good as the newest one. */
  generation: [
    {
      file: 'src/store/sql/guard.ts',
      from: `    sql\`\${task.generation} = \${by.generation}\`,\n`,
      to: '',
    },
  ],
  /** Whoever has the slot moves trunk, wherever it is. */
  cas: [
    {
      file: 'src/store/sql/slot.ts',
      from: '        use.from === undefined ? undefined : isTrunkAt(use.from),\n',
      to: '',
    },
  ],
  /** A slot that is held by somebody is everybody's. */
  fencing: [
    {
      file: 'src/store/sql/slot.ts',
      from: '        eq(repoTable.slot, slot),\n        gt(repoTable.slotExpiresAt, NOW),\n',
      to: '        gt(repoTable.slotExpiresAt, NOW),\n',
    },
  ],
  /** What is merged need not be what was approved. */
  tree: [
    {
      file: 'src/domain/approval.ts',
      from: '  if (tree === null || tree === approved.tree) return\n',
      to: "  if (tree !== '' || approved.tree !== '') return\n",
    },
    {
      file: 'src/store/sql/landings.ts',
      from: `and v.tree = \${merge?.tree ?? null} and v.patch`,
      to: 'and v.patch',
    },
  ],
}

/** A copy of the program in a folder of its own, with the mutant's changes made. */
export async function mutatedCopy(
  name: string,
): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const changes = MUTANTS[name]
  if (changes === undefined) {
    throw new RangeError(`no such mutant: ${name}; there are ${Object.keys(MUTANTS).join(', ')}`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'av-mutant-'))
  for (const path of COPIED) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true })
  }
  for (const path of LINKED) await symlink(join(ROOT, path), join(folder, path))
  for (const { file, from, to } of changes) {
    const text = await readFile(join(folder, file), 'utf8')
    const found = text.split(from).length - 1
    if (found !== 1) throw new Error(`${file} holds the text to replace ${found} times:\n${from}`)
    await writeFile(
      join(folder, file),
      text.replace(from, () => to),
    )
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
