import { expect, test } from 'bun:test'
import { pickMirrors } from '../../scripts/apt-sources.ts'

const deb822 = `# The distribution
Types: deb deb-src
# a comment inside a stanza
URIs: http://mirror.example/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://disabled.example/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://sources.example/debian
Suites: bookworm
Components: main
`

const oneLine = `# deb http://commented.example/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://options.example/debian/ bookworm main contrib # tail
deb cdrom:[Debian 12]/ bookworm main
deb http://editor.example/apt stable main
deb http://containers.example/linux/debian bookworm stable
deb http://mirror.example/debian bookworm main
`

test('a deb822 file gives the mirror of the release, not its security or disabled sources', () => {
  expect(pickMirrors([{ path: 'debian.sources', text: deb822 }], 'bookworm')).toEqual([
    'http://mirror.example/debian',
  ])
})

test('a one-line file gives each mirror once, third parties that say only "stable" last', () => {
  expect(pickMirrors([{ path: 'sources.list', text: oneLine }], 'bookworm')).toEqual([
    'http://options.example/debian/',
    'http://mirror.example/debian',
    'http://editor.example/apt',
  ])
})

test('sources of another release give nothing', () => {
  expect(pickMirrors([{ path: 'debian.sources', text: deb822 }], 'trixie')).toEqual([])
})
