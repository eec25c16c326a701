// The bundles of a build, in one process.
import './build-console.mjs';
import './build-cli.mjs';
