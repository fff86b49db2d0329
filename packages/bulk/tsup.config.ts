import { defineConfig } from 'tsup'
import { withDeclarations } from '../../declarations.js'

export default defineConfig(
  withDeclarations({
    entry: { index: 'src/index.ts', node: 'src/node.ts', parts: 'src/parts.ts' },
    format: ['esm', 'cjs'],
    platform: 'node',
    // The private package is part of this one, because it is not published.
    noExternal: ['@svc/text'],
    sourcemap: true,
    clean: true,
    target: 'es2022',
    treeshake: true,
  }),
)
