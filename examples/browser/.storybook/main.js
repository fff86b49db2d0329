export default {
  framework: '@storybook/html-vite',
  stories: ['../src/*.stories.js'],
  // It has mockServiceWorker.js.
  staticDirs: ['../public'],
}
