import {nextTick, onMounted, watch} from 'vue';
import {useData, useRoute} from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import './wide.css';

/** The default theme with diagrams. */
export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    const {isDark} = useData();
    const draw = async () => {
      await nextTick();
      const nodes = document.querySelectorAll('pre.mermaid:not([data-processed])');
      if (nodes.length) {
        const {default: mermaid} = await import('mermaid');
        mermaid.initialize({startOnLoad: false, theme: isDark.value ? 'dark' : 'default'});
        await mermaid.run({nodes});
      }
    };
    onMounted(draw);
    watch(() => route.path, draw);
  },
};
