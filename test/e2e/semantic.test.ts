import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EmbeddingServer } from '../support/embedding-server.ts'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { SHOP } from './shop.ts'

const LONG_MS = 120_000

describe('an embedding server that the settings name', () => {
  const server = new EmbeddingServer()
  const env = { AV_EMBED_URL: server.url, AV_EMBED_MODEL: 'letters', AV_EMBED_KEY: 'hunter2' }
  let machine: Machine
  let cwd: string
  let pack: string
  const packAgain = () => machine.text(['pack', '--fresh'], { cwd, as: ADA })
  beforeAll(async () => {
    machine = new Machine(env)
    const root = makeRepo(machine.box, 'plain', SHOP)
    await machine.data('init', [], { cwd: root })
    const started = await machine.data('task.start', ['Prolong sessions'], { cwd: root, as: ADA })
    cwd = started.workspace ?? ''
    // The first may be too soon for a slow machine; what it asked for is kept all the same.
    await packAgain()
    pack = await packAgain()
  }, LONG_MS)
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await server.close()
  })

  test('is asked for the goal and the code, and named by the receipt', async () => {
    expect(server.texts).toContain('Prolong sessions')
    expect(server.texts.some((text) => text.startsWith('src/session.ts\n'))).toBe(true)
    expect(pack).not.toContain('degraded')
    const words = ['--fresh', '--explain']
    const { explanation } = await machine.data('pack', words, { cwd, as: ADA })
    expect(explanation).toContain(' http-letters/2, code ')
    expect(explanation).toMatch(/semantic #1/)
  })

  test(
    'is not needed again for what it said once, not even by another daemon',
    async () => {
      const asked = server.texts.length
      server.forget()
      expect(await packAgain()).toBe(pack)
      await machine.text(['daemon', 'stop'])
      expect(await packAgain()).toBe(pack)
      expect(server.texts.length).toBe(asked)
    },
    LONG_MS,
  )

  test('its key is shown by no command, and lies in no file', async () => {
    expect(await machine.text(['config'])).not.toContain('hunter2')
    expect(await machine.text(['config', 'get', 'embed_key'])).toContain('(set)')
    expect(machine.box.attempt('/', 'grep', '-ra', 'hunter2', machine.home.folder).code).toBe(1)
  })

  test('on another machine is warned of, without being asked', async () => {
    const away = { AV_EMBED_URL: 'https://embed.example/v1' }
    const { code, err } = await machine.run(['config', 'get', 'embed_url'], { env: away })
    expect(code).toBe(0)
    expect(err).toContain(
      'AV_EMBED_URL is another machine: the texts of goals, records and code outlines go to embed.example.',
    )
    expect((await machine.run(['config', 'get', 'embed_url'])).err).toBe('')
  })
})
