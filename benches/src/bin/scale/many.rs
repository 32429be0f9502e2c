//! As many tools as a request takes.

use agent_benches::cases::fetch;
use agent_core::{Agent, Builder, tool, tools};

/// How many tools there may be.
pub(crate) const COUNTS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

macro_rules! many {
    ($($name:ident)*) => {
        $(
            /// Tells about one article of the shop.
            #[tool]
            async fn $name(
                /// The article's number.
                #[arg(minimum = 1)]
                article: u32,
                /// Two letters of a language.
                #[arg(pattern = "^[a-z]{2}$")]
                language: Option<String>,
            ) -> String {
                format!("{article} {language:?}")
            }
        )*
    };
}

many! {
    t0 t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19
    t20 t21 t22 t23 t24 t25 t26 t27 t28 t29 t30 t31 t32 t33 t34 t35 t36 t37 t38 t39
    t40 t41 t42 t43 t44 t45 t46 t47 t48 t49 t50 t51 t52 t53 t54 t55 t56 t57 t58 t59
    t60 t61 t62 t63 t64 t65 t66 t67 t68 t69 t70 t71 t72 t73 t74 t75 t76 t77 t78 t79
    t80 t81 t82 t83 t84 t85 t86 t87 t88 t89 t90 t91 t92 t93 t94 t95 t96 t97 t98 t99
    t100 t101 t102 t103 t104 t105 t106 t107 t108 t109 t110 t111 t112 t113 t114 t115 t116 t117 t118 t119
    t120 t121 t122 t123 t124 t125 t126
}

/// The agent with so many tools. The first is the one that the scripted server asks for.
pub(crate) fn agent(builder: Builder, count: usize) -> Agent {
    let builder = builder.tools(tools![fetch]);
    let more1 = tools![t0];
    let more2 = tools![t1, t2];
    let more4 = tools![t3, t4, t5, t6];
    let more8 = tools![t7, t8, t9, t10, t11, t12, t13, t14];
    let more16 = tools![t15, t16, t17, t18, t19, t20, t21, t22, t23, t24, t25, t26, t27, t28, t29, t30];
    let more32 = tools![
        t31, t32, t33, t34, t35, t36, t37, t38, t39, t40, t41, t42, t43, t44, t45, t46, t47, t48, t49, t50, t51, t52,
        t53, t54, t55, t56, t57, t58, t59, t60, t61, t62
    ];
    let more64 = tools![
        t63, t64, t65, t66, t67, t68, t69, t70, t71, t72, t73, t74, t75, t76, t77, t78, t79, t80, t81, t82, t83, t84,
        t85, t86, t87, t88, t89, t90, t91, t92, t93, t94, t95, t96, t97, t98, t99, t100, t101, t102, t103, t104, t105,
        t106, t107, t108, t109, t110, t111, t112, t113, t114, t115, t116, t117, t118, t119, t120, t121, t122, t123,
        t124, t125, t126
    ];
    let built = match count {
        1 => builder.build(),
        2 => builder.tools(more1).build(),
        4 => builder.tools((more1, more2)).build(),
        8 => builder.tools(((more1, more2), more4)).build(),
        16 => builder.tools((((more1, more2), more4), more8)).build(),
        32 => builder.tools(((((more1, more2), more4), more8), more16)).build(),
        64 => builder.tools((((((more1, more2), more4), more8), more16), more32)).build(),
        128 => builder.tools(((((((more1, more2), more4), more8), more16), more32), more64)).build(),
        _ => panic!("{count} is none of {COUNTS:?}"),
    };
    built.unwrap()
}
