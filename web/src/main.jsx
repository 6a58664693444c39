import { render } from 'preact';
import { program } from './api.js';
import { App } from './app.jsx';
import { Store } from './store.js';

const store = new Store();
const place = document.getElementById('app');
place.textContent = '';
document.title = `${program} status`;
render(<App store={store} />, place);
store.start();
