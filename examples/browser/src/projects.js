/** Show the projects of a client as a list, with a form that adds one. */
export function projectsOf(svc) {
  const root = document.createElement('section')
  root.innerHTML = `
    <ul></ul>
    <form><label>Name <input name="name" required></label> <button>Add</button></form>
    <p role="alert"></p>`
  const [list, form, alert] = ['ul', 'form', 'p'].map((name) => root.querySelector(name))

  async function update(work) {
    try {
      await work?.()
      const projects = await svc.projects.all().toArray({ limit: 100 })
      list.replaceChildren(
        ...projects.map(({ name }) => Object.assign(document.createElement('li'), { textContent: name })),
      )
      alert.textContent = projects.length === 0 ? 'No projects yet.' : ''
    } catch (error) {
      alert.textContent = `Cannot load the projects: ${error.kind ?? error.message}`
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void update(() => svc.projects.create({ name: new FormData(form).get('name') }))
  })
  void update()
  return root
}
