import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isLong } from '../long.js'

/**
 * The folder in which runtimes are installed: `SVC_RUNTIMES`, or a temporary one. Not inside node_modules, because Next.js,
 * Jest and vitest ignore applications there.
 */
export const cache = resolve(process.env.SVC_RUNTIMES || join(tmpdir(), 'svc-runtimes'))

/** A runtime that can be started, or why there is none. */
export type Runtime = { name: string; binary: string; version: string } | { name: string; missing: string }

/** A package of the registry that brings a binary. */
interface Source {
  name: string
  /** The package for npm to install, as in `node@22`. */
  package: string
  /** Packages that it needs beside it. */
  beside?: string[]
  /** The binary inside node_modules. */
  binary: string
  /** Asks the binary for its version. Default `--version`. */
  versionArgs?: string[]
  /** A script to run after the installation, in the package's own folder. */
  prepare?: string
}

/** Installs a runtime or a tool into the cache, once, and asks for its version. An error becomes the reason why it is missing. */
export function install({
  name,
  package: spec,
  beside = [],
  binary,
  versionArgs = ['--version'],
  prepare,
}: Source): Runtime {
  const folder = join(cache, spec.replace(/\W+/g, '-'))
  const path = resolve(folder, binary)
  try {
    if (!existsSync(join(folder, 'ready'))) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      run(
        'npm',
        ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error', spec, ...beside],
        folder,
      )
      if (prepare) run(process.execPath, ['--eval', prepare], folder)
      writeFileSync(join(folder, 'ready'), run(path, versionArgs, folder))
    }
    return { name, binary: path, version: readFileSync(join(folder, 'ready'), 'utf8').replace(/^\D*/, '') }
  } catch (error) {
    return { name, missing: firstLine(error) }
  }
}

const run = (command: string, args: string[], cwd: string) =>
  // Temporary files of an extraction stay in the cache, too.
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, TMPDIR: cwd } }).trim()

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr?.trim() || message).split('\n')[0] ?? 'unknown'
}

/** The versions of Node beside this one: all in the long form, else the newest. */
export const nodes = (): Runtime[] =>
  (isLong ? [22, 24, 26] : [26]).map((major) =>
    install({ name: `Node ${major}`, package: `node@${major}`, binary: 'node_modules/node/bin/node' }),
  )

export const bun = (): Runtime => install({ name: 'Bun', package: 'bun@1', binary: 'node_modules/bun/bin/bun.exe' })

export const deno = (): Runtime =>
  install({
    name: 'Deno',
    package: 'deno@2',
    binary: 'node_modules/.bin/deno',
    versionArgs: ['eval', 'console.log(Deno.version.deno)'],
  })

export const workerd = (): Runtime =>
  install({ name: 'workerd', package: 'workerd@1', binary: 'node_modules/workerd/bin/workerd' })

/** A library that runs in Node: its "binary" is the command that stands for it. */
export const edgeRuntime = (): Runtime =>
  install({
    name: 'Edge Runtime',
    package: 'edge-runtime@4',
    binary: 'node_modules/.bin/edge-runtime',
    versionArgs: ['--eval', 'EdgeRuntime'],
  })

/** Chromium comes packed for one platform; it is unpacked into the folder of its package. */
export const chromium = (): Runtime =>
  install({
    name: 'Chromium',
    package: '@sparticuz/chromium',
    binary: 'chromium',
    prepare: "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())",
  })

export const next = (): Runtime =>
  install({
    name: 'Next.js',
    package: 'next@16',
    beside: ['react@19', 'react-dom@19'],
    binary: 'node_modules/.bin/next',
  })

/** A library: its version is asked of its manifest. */
export const webpack = (): Runtime =>
  install({
    name: 'webpack',
    package: 'webpack@5',
    binary: process.execPath,
    versionArgs: ['--print', "require('./node_modules/webpack/package.json').version"],
  })

export const jest = (): Runtime =>
  install({
    name: 'Jest',
    package: 'jest@30',
    beside: ['jest-environment-jsdom@30'],
    binary: 'node_modules/.bin/jest',
  })

export const vitest = (major = 4): Runtime =>
  install({
    name: `vitest ${major}`,
    package: `vitest@${major}`,
    beside: ['jsdom', 'happy-dom'],
    binary: 'node_modules/.bin/vitest',
  })

export const vite = (): Runtime =>
  install({
    name: 'Vite',
    package: 'vite@7',
    beside: ['msw@2', '@playwright/test@1'],
    binary: 'node_modules/.bin/vite',
  })

/** The command of Storybook downloads another one to print its version; that of Vite stands for it. */
export const storybook = (): Runtime =>
  install({
    name: 'Storybook',
    package: 'storybook@10',
    beside: ['@storybook/html-vite@10', 'vite@7', 'msw@2'],
    binary: 'node_modules/.bin/vite',
  })

export const dclint = (): Runtime =>
  install({ name: 'dclint', package: 'dclint@3', binary: 'node_modules/.bin/dclint' })

/** A library: its version is asked of its manifest. */
export const dockerfileUtils = (): Runtime =>
  install({
    name: 'dockerfile-utils',
    package: 'dockerfile-utils@0.16',
    binary: process.execPath,
    versionArgs: ['--print', "require('./node_modules/dockerfile-utils/package.json').version"],
  })

/** Six generators of TypeScript clients, and what their clients need; the binary is that of the first one. */
export const generators = (): Runtime =>
  install({
    name: 'six generators',
    package: 'openapi-typescript@7',
    beside: [
      'openapi-fetch@0.17',
      '@hey-api/openapi-ts@0.95',
      'orval@7',
      'swagger-typescript-api@13',
      'oazapfts@7',
      '@oazapfts/runtime@1',
      'openapi-zod-client@1',
      '@zodios/core@10',
      'axios@1',
      'zod@3',
      'typescript@5',
    ],
    binary: 'node_modules/.bin/openapi-typescript',
  })
