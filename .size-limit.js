/** esbuild warns of imports that only set the order of chunks; bundlers drop them, which is right. */
const modifyEsbuildConfig = (config) => ({ ...config, logOverride: { 'ignored-bare-import': 'silent' } })

const check = (name, file, imported, limit) => ({
  name,
  path: `packages/client/dist/${file}`,
  import: imported,
  gzip: true,
  limit,
  modifyEsbuildConfig,
})

export default [
  check('an import that uses nothing', 'index.js', '{}', '0.1 kB'),
  check('everything exported from @svc/client', 'index.js', '*', '25.5 kB'),
  check('createClient alone', 'index.js', '{ createClient }', '24.0 kB'),
  check('createClient of @svc/client/core', 'core.js', '{ createClient }', '18.0 kB'),
]
