import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { question as conversation } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'

describe('the input of svc upload', () => {
  it('follows a link that is named, and none that it comes upon', async () => {
    const { svc, cwd } = createShell()
    await svc(['upload', 'kept/conversation.json', '-n'], {
      files: { 'kept/conversation.json': conversation, 'links/plain.json': conversation },
    })
    symlinkSync(join(cwd, 'kept/conversation.json'), join(cwd, 'links/linked.json'))
    symlinkSync(join(cwd, 'gone.json'), join(cwd, 'links/broken.json'))
    const found = await svc(['upload', 'links', '-n', '--json'])
    expect(found.lines()).toMatchObject([{ path: 'links/plain.json' }, { planned: 1 }])
    const named = await svc(['upload', 'links/linked.json', '-n', '--json'])
    expect(named.lines().map(({ path }) => path)).toEqual(['links/linked.json'])
    expect((await svc(['upload', 'links/broken.json', '-n'])).code).toBe(3)
  })

  it('takes the files that a pattern names, where the shell has left it alone', async () => {
    const { svc } = createShell()
    const files = {
      'conversations/a.json': conversation,
      'conversations/deep/b.json': conversation,
      'conversations/deep/c.txt': 'none',
      'other/d.json': conversation,
    }
    const argv = ['upload', 'conversations/**/*', 'o*/d.json', '-n', '--json']
    // As if the shell had expanded it, the text is named, too.
    expect(await svc(argv, { files })).toMatchObject({ code: 3, err: expect.stringContaining('deep/c.txt:1:1 ') })
    const { lines } = await svc([...argv, '!*.txt'])
    const paths = lines()
      .slice(0, -1)
      .map(({ path }) => path)
    expect(paths).toEqual(['conversations/a.json', 'conversations/deep/b.json', 'other/d.json'])
    expect(await svc(['upload', 'conversations/*.csv'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('No file matches conversations/*.csv.'),
    })
  })
})
