import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { Checkout } from './checkout.ts'
import { ownerOf, ownMark } from './lock-owner.ts'

/**
 * The lock of a checkout's index, held: no `git commit`, `git add` or IDE of the person can come
 * in between. git's own commands say `index.lock: File exists` meanwhile, and work when repeated.
 */
export type IndexLock = {
  /** A copy of the index to work on; there may be none, as with an index that was never written. */
  readonly index: string
  /** Whether it was found as a process left it that died. */
  readonly inherited: boolean
  /** Makes the copy the checkout's index. */
  readonly commit: () => void
  /** Gives the lock back; a copy that was not committed is gone. */
  readonly release: () => void
}

const WAIT_MS = 5_000
const POLL_MS = 20

export type LockOptions = {
  /** Take over what a dead av left behind, instead of waiting for it. */
  readonly inherit: boolean
}

/**
 * Takes the lock, waiting up to five seconds for whoever has it; then faults with `conflict`,
 * reason `checkout_locked`.
 */
export async function lockIndex(checkout: Checkout, options: LockOptions): Promise<IndexLock> {
  const { gitDir } = checkout
  const lock = join(gitDir, 'index.lock')
  const mark = ownMark()
  for (let waited = 0; ; waited += POLL_MS) {
    if (take(gitDir, lock, mark)) return held(gitDir, mark, false)
    if (options.inherit && ownerOf(readOr(lock)) === 'dead') {
      takeOver(gitDir, lock, mark)
      return held(gitDir, mark, true)
    }
    if (waited >= WAIT_MS) throw locked(checkout, lock)
    await Bun.sleep(POLL_MS)
  }
}

function held(gitDir: string, mark: string, inherited: boolean): IndexLock {
  const lock = join(gitDir, 'index.lock')
  const copy = join(gitDir, 'av-index')
  const clear = () => {
    for (const left of [copy, `${copy}.lock`]) rmSync(left, { force: true })
  }
  clear()
  copyIndex(join(gitDir, 'index'), copy)
  return {
    index: copy,
    inherited,
    // Not by way of index.lock: whoever dies between the two steps leaves a lock that says whose it is.
    commit: () => renameSync(copy, join(gitDir, 'index')),
    release: () => {
      clear()
      // Somebody who was told "File exists" may have removed it, and another git have it by now.
      if (readOr(lock) === mark) rmSync(lock, { force: true })
    },
  }
}

/** By a link: the lock is there with its content at once, or not at all. */
function take(gitDir: string, lock: string, mark: string): boolean {
  const beside = writeMark(gitDir, mark)
  try {
    linkSync(beside, lock)
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    if (/^(?:EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(codeOf(thrown))) return takeByName(lock, mark)
    throw thrown
  } finally {
    rmSync(beside, { force: true })
  }
}

/** For file systems without links. */
function takeByName(lock: string, mark: string): boolean {
  try {
    const file = openSync(lock, 'wx', 0o644)
    writeSync(file, mark)
    closeSync(file)
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    throw thrown
  }
}

function takeOver(gitDir: string, lock: string, mark: string): void {
  renameSync(writeMark(gitDir, mark), lock)
}

function writeMark(gitDir: string, mark: string): string {
  // All of one clone's clients hold its trunk lock here; the number keeps those of another AV_HOME apart.
  const beside = join(gitDir, `av-lock.${mark.split(' ')[1]?.trim()}`)
  const file = openSync(beside, 'w', 0o644)
  writeSync(file, mark)
  closeSync(file)
  return beside
}

/**
 * The copy is dated back to the full second: git looks into the files that changed in the very
 * moment the index was written, or later, and must not take them for older than the copy.
 */
function copyIndex(index: string, copy: string): void {
  if (!existsSync(index)) return
  copyFileSync(index, copy)
  const seconds = Math.floor(statSync(index).mtimeMs / 1000)
  utimesSync(copy, seconds, seconds)
}

function readOr(lock: string): string {
  try {
    return readFileSync(lock, 'latin1').slice(0, 80)
  } catch {
    return ''
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

function locked(checkout: Checkout, lock: string): Fault {
  return new Fault(
    'conflict',
    `Another process has been at work in ${checkout.folder} for ${WAIT_MS / 1000} s (there is ${lock}).`,
    'Let it finish, or look whether it still runs; then repeat the command.',
    { detail: { reason: 'checkout_locked', folder: checkout.folder, lock } },
  )
}
