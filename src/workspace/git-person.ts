import type { Clone } from './clone.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import type { Person } from './landing-commit.ts'

/** Who commits in the person's clone by git's own settings; null where name or address is not set. */
export async function gitPerson(
  host: Host,
  { gitDir }: Pick<Clone, 'gitDir'>,
): Promise<Person | null> {
  const read = async (key: string) => {
    const ran = await git(host, { gitDir }, ['config', '--get', key], { answers: [1] })
    return ran.stdout.toString('utf8').trim()
  }
  const [name, email] = await Promise.all([read('user.name'), read('user.email')])
  return name === '' || email === '' ? null : { name, email }
}
