// `npm start`: compiles what changed, then runs the service in this process. No shell or second process stands between npm and the
// service, so a stop signal reaches it.
import './build.mjs';

await import('../dist/src/main.js');
