package io.kubemirror.parity;

import java.util.List;

/** Cases with a title. */
record CaseSection(String title, List<ParityCase> cases) {}
