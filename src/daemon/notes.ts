import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Home, homeFault } from '../api/home.ts'
import { type Health, refusalOf, type StartError } from '../api/wire.ts'
import type { Fault } from '../domain/fault.ts'

/**
 * Makes `AV_HOME`, open to its owner only. A folder that was there with other things in it keeps its
 * mode: `AV_HOME` may have been set to a folder that is not av's alone.
 * @throws Fault `store_unavailable` when it cannot be used, with the reason
 */
export function prepareHome(home: Home): void {
  try {
    mkdirSync(home.folder, { recursive: true, mode: 0o700 })
    const isFresh = readdirSync(home.folder).every((name) => FIRST_NAMES.includes(name))
    if (isFresh) chmodSync(home.folder, 0o700)
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

/** What clients may have put there before the first daemon came. */
const FIRST_NAMES: readonly string[] = ['spawn.lock', 'daemon.stderr', 'config.toml']

/** `daemon.json`: what runs here, for people and scripts. Clients ask the socket. */
export function writeNote(home: Home, { rssBytes: _, ...lasting }: Health): void {
  writeWhole(home.daemonFile, lasting)
}

/** Leaves why the start failed for the clients that wait for it. */
export function writeStartError(home: Home, pid: number, at: number, fault: Fault): void {
  writeWhole(home.startError, { pid, at, ...refusalOf(fault) } satisfies StartError)
}

/** A file in `AV_HOME` that a reader meets whole or not at all; only the holder of the lock writes. */
export function writeWhole(path: string, value: unknown): void {
  const text = typeof value === 'string' ? value : `${JSON.stringify(value)}\n`
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (thrown) {
    throw homeFault(dirname(path), thrown)
  }
}

/** Takes away what tells clients that a daemon is here. Only the holder of the lock may. */
export function removeTraces(home: Home): void {
  rmSync(home.socket, { force: true })
  rmSync(home.daemonFile, { force: true })
}
