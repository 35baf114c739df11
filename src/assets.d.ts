/**
 * What the compiled binary embeds and how a module gets at it.
 *
 * `import path from '…' with { type: 'file' }` gives a path that `Bun.file` and `readFileSync` can read, in the
 * binary too; `createReadStream` cannot. `with { type: 'text' }` gives the content.
 * The `.zst` files are packed by `bun scripts/build.ts --assets`.
 */
declare module '*.wasm' {
  const path: string
  export default path
}
declare module '*.data' {
  const path: string
  export default path
}
declare module '*.zst' {
  const path: string
  export default path
}
declare module '*.gz' {
  const path: string
  export default path
}
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.scm' {
  const text: string
  export default text
}

/**
 * Version and build of the binary, for example `0.1.0+3f2a9c1d44aa`; two builds of the same inputs share it.
 * Put in by `scripts/build.ts`; when the sources run unbuilt it does not exist, so ask `typeof AV_BUILD` first.
 */
declare const AV_BUILD: string
