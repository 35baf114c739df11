/** A database's address as it may be shown: without the password and what else may hold one. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…'
  const { username, host, pathname, searchParams } = new URL(url)
  const where = ['host', 'port'].flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [`${name}=${value}`]
  })
  const user = username === '' ? '' : `${username}@`
  const query = where.length === 0 ? '' : `?${where.join('&')}`
  return `postgres://${user}${host}${pathname}${query}`
}
