import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { pack } from '../helpers/installed.js'

const hasDocker = spawnSync('docker', ['info']).status === 0
const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim()

const name = 'examples/runners/Dockerfile builds an image that serves, and ends at docker stop'
if (!hasDocker) it.skip(`${name} (not run: no Docker is running)`)
else
  it(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-container-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const context = join(folder, 'context')
    pack(context, ['cli'])
    copyFileSync(
      fileURLToPath(new URL('../../examples/runners/Dockerfile', import.meta.url)),
      join(context, 'Dockerfile'),
    )
    const image = docker('build', '--quiet', context)
    onTestFinished(() => void docker('image', 'rm', '--force', image))

    const container = docker('run', '--detach', '--publish', '127.0.0.1::4010', image)
    onTestFinished(() => void docker('rm', '--force', container))
    const { port } = new URL(`http://${docker('port', container, '4010/tcp').split('\n')[0]}`)
    const ask = () => fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } })
    await expect
      .poll(() =>
        ask().then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)

    docker('stop', '-t', '60', container)
    expect(docker('wait', container)).toBe('143')
  })
