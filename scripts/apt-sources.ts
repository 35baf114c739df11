import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'

const SUITES = ['stable', 'oldstable', 'testing', 'unstable', 'sid']

/** The mirrors of the distribution itself that this machine's apt sources name, best guess first. */
export async function aptMirrors(): Promise<string[]> {
  const shell =
    await $`apt-config shell LIST Dir::Etc::sourcelist/f PARTS Dir::Etc::sourceparts/d`.text()
  const setting = (name: string) => shell.match(new RegExp(`^${name}='(.*)'$`, 'm'))?.[1] ?? ''
  const parts = setting('PARTS')
  const names = existsSync(parts) ? (await readdir(parts)).sort() : []
  const paths = [setting('LIST'), ...names.map((name) => join(parts, name))]
  const texts = paths
    .filter((path) => /\.(list|sources)$/.test(path) && existsSync(path))
    .map(async (path) => ({ path, text: await readFile(path, 'utf8') }))
  const release = await readFile('/etc/os-release', 'utf8')
  const codename = release.match(/^VERSION_CODENAME="?([\w-]+)/m)?.[1] ?? 'stable'
  return pickMirrors(await Promise.all(texts), codename)
}

export type SourceFile = { readonly path: string; readonly text: string }
type Source = {
  readonly uris: readonly string[]
  readonly suites: readonly string[]
  readonly components: readonly string[]
}

/** Where the component `main` of the release comes from; sources that name it only as `stable` and the like last. */
export function pickMirrors(files: readonly SourceFile[], codename: string): string[] {
  const sources = files
    .flatMap(({ path, text }) => (path.endsWith('.sources') ? readStanzas(text) : readLines(text)))
    .filter(({ components }) => components.includes('main'))
  const exact = sources.filter(({ suites }) => suites.includes(codename))
  const moving = sources.filter(({ suites }) => suites.some((suite) => SUITES.includes(suite)))
  const uris = [...exact, ...moving].flatMap((source) => source.uris)
  return [...new Set(uris)].filter((uri) => !uri.startsWith('cdrom:'))
}

/** The one-line style: `deb [options] uri suite component…`. */
function readLines(text: string): Source[] {
  return [...text.matchAll(/^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#\n]+)/gm)].map(
    ([, uri, suite, components]) => ({
      uris: [uri!],
      suites: [suite!],
      components: components!.trim().split(/\s+/),
    }),
  )
}

/** The deb822 style: fields in stanzas, folded lines begin with a space. */
function readStanzas(text: string): Source[] {
  return text
    .replace(/^#.*\n?/gm, '')
    .split(/\n\s*\n/)
    .map((stanza) => {
      const words = (field: string) =>
        stanza
          .match(new RegExp(`^${field}:(.*(?:\\n[ \\t].*)*)`, 'im'))?.[1]
          ?.trim()
          .split(/\s+/) ?? []
      return { words, enabled: words('Enabled')[0]?.toLowerCase() !== 'no' }
    })
    .filter(({ words, enabled }) => enabled && words('Types').includes('deb'))
    .map(({ words }) => ({
      uris: words('URIs'),
      suites: words('Suites'),
      components: words('Components'),
    }))
}
