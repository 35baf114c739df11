import { resolve } from 'node:path'
import { Fault } from './domain/fault.ts'

/** Where a text was found. */
export type Place = {
  /** For messages: `AV_LEASE_SECS`, `lease_secs in /…/config.toml`. */
  readonly label: string
  /** What a relative path starts from. */
  readonly base: string
  /** What `~` stands for. */
  readonly userHome: string
}

export const badValue = (place: Place, wanted: string): Fault =>
  new Fault('bad_input', `${place.label} must be ${wanted}.`, 'Correct it or take it away.', {
    detail: { reason: 'bad_setting', setting: place.label },
  })

export function folder(text: string, { base, userHome }: Place): string {
  return resolve(
    base,
    text.replace(/^~(?=\/|$)/, () => userHome),
  )
}

/** A path, or a bare name to be looked up on the PATH. */
export function program(text: string, place: Place): string {
  return /^~|\//.test(text) ? folder(text, place) : text
}

export function postgresUrl(text: string, place: Place): string {
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return text
  throw badValue(place, 'an address like postgres://user@host:5432/name')
}

export function httpUrl(text: string, place: Place): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text)
    if (username === '' && password === '') return text
  }
  throw badValue(place, 'an http:// or https:// address without a name or password in it')
}

export function wholeNumber(min: number, max: number) {
  return (text: string, place: Place): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw badValue(place, `a whole number from ${min} to ${max}`)
  }
}

export function oneLine(charsMax: number) {
  return (text: string, place: Place): string => {
    if (text.length <= charsMax && !/\p{Cc}/u.test(text)) return text
    throw badValue(place, `one line of at most ${charsMax} characters`)
  }
}
