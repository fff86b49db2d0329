import type { Defects } from './defect.js'
import { rules as isolation } from './isolation.rules.js'
import { rules as order } from './order.rules.js'

const transcripts = 'operations/transcripts.ts'

export const ofWorkspaces: Defects = {
  likely: isolation,
  defects: [
    {
      name: 'shows a project of another workspace',
      file: 'operations/projects.ts',
      find: 'if (project?.workspace !== workspace)',
      replace: 'if (!project)',
    },
    {
      name: 'answers 403 to the read of a project of another workspace',
      file: 'operations/projects.ts',
      find: 'if (project?.workspace !== workspace)',
      replace: "if (project && project.workspace !== workspace) throw new Refusal(403, 'Not yours.')\n  if (!project)",
    },
    {
      name: 'says of a project of another workspace that it is there',
      file: 'operations/projects.ts',
      find: 'if (project?.workspace !== workspace)',
      replace: "if (project && project.workspace !== workspace) throw new Refusal(404, 'Not yours.')\n  if (!project)",
    },
    {
      name: 'shows a transcript of another workspace',
      file: transcripts,
      find: 'if (transcript?.workspace !== workspace)',
      replace: 'if (!transcript)',
    },
    {
      name: "lists the transcripts of another workspace's project",
      file: transcripts,
      find: 'if (project?.workspace === workspace) return project',
      replace: 'if (project) return project',
    },
    {
      name: 'lists the projects of every workspace',
      file: 'world.ts',
      find: 'return this.#byWorkspace.get(workspace)?.items ?? []',
      replace: 'return [...this.#byWorkspace.values()].flatMap(({ items }) => items)',
    },
    {
      name: 'takes an upload into a project of another workspace',
      file: transcripts,
      find: "  if (project.workspace !== workspace) throw new Refusal(403, 'The project belongs to another workspace.')\n",
      replace: '',
    },
    {
      name: 'answers 404 to an upload into a project of another workspace',
      file: transcripts,
      find: 'if (project.workspace !== workspace) throw new Refusal(403',
      replace: 'if (project.workspace !== workspace) throw new Refusal(404',
    },
    {
      name: "answers 403 to the list of a foreign project's transcripts",
      file: 'readings.ts',
      find: 'foreignList403: false,',
      replace: 'foreignList403: true,',
    },
    {
      name: 'makes every project in the first workspace',
      file: 'operations/projects.ts',
      find: 'createProject({ workspace: context.workspace, name',
      replace: 'createProject({ name',
    },
  ],
}

export const ofOrder: Defects = {
  likely: order,
  defects: [
    {
      name: 'looks at the key before the path',
      file: 'route.ts',
      find: "if (!match) throw new Refusal(404, 'There is no such path.')",
      replace: `if (!match) {
      authenticate(surface, world.key(bearer(call.header('authorization')) ?? ''), false)
      throw new Refusal(404, 'There is no such path.')
    }`,
    },
    {
      name: 'looks at the key before the method',
      file: 'route.ts',
      find: 'if (!operation) throw new Refusal(405',
      replace: `if (!operation) authenticate(surface, world.key(bearer(call.header('authorization')) ?? ''), false)
    if (!operation) throw new Refusal(405`,
    },
    {
      name: 'looks at the rate before the permission',
      file: 'route.ts',
      find: '    if (permission) authorize(key, permission)\n',
      replace: `    if (limits) limiter?.pass(surface, key.key, clock.now(), false)
    if (permission) authorize(key, permission)
`,
    },
    {
      name: 'looks at the body before the form of the project id',
      file: transcripts,
      find: "if (!isProjectId(projectId)) throw new Refusal(400, 'projectId",
      replace: `await readJson(context, 'workspace')
  if (!isProjectId(projectId)) throw new Refusal(400, 'projectId`,
    },
    {
      name: 'looks at the project before the body',
      file: transcripts,
      find: "  const body = await readJson(context, 'workspace')\n",
      replace: `  if (!context.server.world.project(projectId)) throw new Refusal(404, 'There is no such project.')
  const body = await readJson(context, 'workspace')
`,
    },
    {
      name: 'looks at the fields before the size of a turn',
      file: transcripts,
      find: '  checkTurnBytes(body, turnBytes)\n',
      replace: '  readTranscriptUpload(body, charactersAre)\n  checkTurnBytes(body, turnBytes)\n',
    },
    {
      name: 'looks at the Content-Type before the size of the body',
      file: 'operation.ts',
      find: '  const bytes = await call.readBody(limit)\n',
      replace: `  if (!call.header('content-type')?.includes('json')) parseJson(new Uint8Array(), null, 400)
  const bytes = await call.readBody(limit)
`,
    },
    {
      name: 'looks at the resource before the page',
      file: transcripts,
      find: '  const page = readPage(query, server.readings.lenientPaging)\n',
      replace: '  listableProject(context)\n  const page = readPage(query, server.readings.lenientPaging)\n',
    },
    {
      name: 'looks at the annotator before the fields',
      file: 'operations/annotation.ts',
      find: "const request = readAnnotationRequest(await readJson(context, 'annotation'))",
      replace: `const body = (await readJson(context, 'annotation')) as { annotator?: string } | null
  if (body?.annotator === 'nobody') throw new Refusal(404, 'There is no such annotator.')
  const request = readAnnotationRequest(body)`,
    },
  ],
}
