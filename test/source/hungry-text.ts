/** Run as a process of its own: a grammar that ran out of memory leaves the thread's runtime damaged. */
import { indexOf } from './indexed.ts'

const hungry = await indexOf('a.ts', 'f<a,b<c,d<\n'.repeat(15_000))
const next = await indexOf('a.ts', 'export function hello(name: string) {\n  return name\n}\n')
process.stdout.write(JSON.stringify({ hungry, next }))
