import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv/", "build/", "results/", "analysis/dashboard/assets/dashboard.js"] },
  js.configs.recommended,
  {
    files: ["analysis/dashboard/assets/src/*.js", "mpbench/live/assets/*.js"],
    languageOptions: { ecmaVersion: 2020, globals: globals.browser },
    rules: {
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
