import { defineConfig } from 'tsup'
import { withDeclarations } from '../../declarations.js'

export default defineConfig(
  withDeclarations({
    entry: {
      index: 'src/index.ts',
      containers: 'src/containers/index.ts',
      parquet: 'src/parquet/index.ts',
      sqlite: 'src/sqlite/index.ts',
    },
    format: ['esm', 'cjs'],
    sourcemap: true,
    clean: true,
    target: 'es2022',
    // The limits are copied by the build, so that importing this package loads nothing of the client.
    // The limits are copied by the build, so that importing this package loads nothing of the client.
    noExternal: ['@svc/client', '@svc/text'],
    treeshake: true,
  }),
)
