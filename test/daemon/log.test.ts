import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../../src/daemon/log.ts'
import { seededWorld } from '../../src/world.ts'

function inFolder(work: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'av-log-'))
  try {
    work(join(folder, 'daemon.log'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('an entry is one line with its time and process, and no secret in it', () => {
  inFolder((path) => {
    const { log, close } = openLog(path, 41, seededWorld(1, Date.UTC(2026, 10, 30)))
    log('could not reach postgres://mei:hunter2@db.example/av')
    log('first\nsecond\u001b[31m\r\u0000')
    close()
    expect(readFileSync(path, 'utf8')).toBe(
      [
        '2026-11-30T00:00:00.000Z [41] could not reach postgres://mei:[redacted:url-password]@db.example/av\n',
        '2026-11-30T00:00:01.000Z [41] first | second\\x1b[31m\\x0d\\x00\n',
      ].join(''),
    )
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})

test('a secret is taken out also where the line is cut', () => {
  inFolder((path) => {
    const { log, close } = openLog(path, 41, seededWorld(1))
    log(`${'x'.repeat(3_980)} ghp_${'a1B2'.repeat(9)}`)
    close()
    expect(readFileSync(path, 'utf8')).not.toContain('ghp_')
  })
})

test('it never takes more than twice its limit, and keeps the newest', () => {
  inFolder((path) => {
    const { log, close } = openLog(path, 41, seededWorld(1), 1_000)
    for (let line = 0; line < 200; line++) log(`line ${line}`)
    close()
    expect(statSync(path).size).toBeLessThanOrEqual(1_000)
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(1_000)
    expect(readFileSync(path, 'utf8').trimEnd()).toEndWith('line 199')
    const both = [`${path}.1`, path].map((file) => readFileSync(file, 'utf8')).join('')
    const numbers = [...both.matchAll(/line (\d+)/g)].map(([, number]) => Number(number))
    expect(numbers).toEqual(numbers.map((_, at) => 200 - numbers.length + at))
  })
})

test('it goes on where the last process left off', () => {
  inFolder((path) => {
    for (let run = 0; run < 3; run++) {
      const { log, close } = openLog(path, run, seededWorld(1), 1_000)
      for (let line = 0; line < 5; line++) log(`run ${run} line ${line}`)
      close()
    }
    expect(existsSync(`${path}.1`)).toBe(false)
    expect(readFileSync(path, 'utf8').match(/run \d line \d/g)).toHaveLength(15)
  })
})
