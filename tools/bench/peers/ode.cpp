// SPDX-License-Identifier: Apache-2.0
// Open Dynamics Engine, QuickStep with a number of iterations (option 1); all other settings are
// the defaults of the library.
#include <ode/ode.h>

#include "tools/bench/peers/driver.hpp"

namespace peers {

class Ode {
 public:
  Ode(const Scene& scene, const std::vector<std::string>& options) : scene_(scene) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY);
    joints_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    dWorldSetQuickStepNumIterations(world_, options.empty() ? 20 : std::atoi(options[0].c_str()));
    for (const Body& body : scene.bodies) add(body);
  }

  void step(double time) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!scene_.bodies[i].driven()) continue;
      const Triple v = scene_.bodies[i].velocity(time);
      dBodySetLinearVel(bodies_[i], v[0], v[1], v[2]);
    }
    contacts_ = 0;
    dSpaceCollide(space_, this,
                  [](void* self, dGeomID a, dGeomID b) { static_cast<Ode*>(self)->collide(a, b); });
    dWorldQuickStep(world_, scene_.step);
    dJointGroupEmpty(joints_);
  }

  void states(std::vector<State>& states) const {
    for (std::size_t i = 0; i < geometries_.size(); ++i) {
      const dReal* x = dGeomGetPosition(geometries_[i]);
      dQuaternion q;
      dGeomGetQuaternion(geometries_[i], q);
      states[i] = {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {}, {}};
      if (!bodies_[i]) continue;
      const dReal *v = dBodyGetLinearVel(bodies_[i]), *spin = dBodyGetAngularVel(bodies_[i]);
      states[i].velocity = {v[0], v[1], v[2]};
      states[i].spin = {spin[0], spin[1], spin[2]};
    }
  }

  int contacts() const { return contacts_; }

 private:
  void add(const Body& body) {
    const auto [x, y, z] = body.half;
    const dGeomID geometry =
        body.sphere ? dCreateSphere(space_, x) : dCreateBox(space_, 2 * x, 2 * y, 2 * z);
    dBodyID moving = nullptr;
    if (body.free() || body.driven()) {
      moving = dBodyCreate(world_);
      dGeomSetBody(geometry, moving);
      dBodySetAutoDisableFlag(moving, 0);
    }
    if (body.free()) {
      dMass mass;
      if (body.sphere)
        dMassSetSphere(&mass, body.density, x);
      else
        dMassSetBox(&mass, body.density, 2 * x, 2 * y, 2 * z);
      dBodySetMass(moving, &mass);
    } else if (moving) {
      dBodySetKinematic(moving);
    }
    dGeomSetPosition(geometry, body.position[0], body.position[1], body.position[2]);
    geometries_.push_back(geometry);
    bodies_.push_back(moving);
  }

  void collide(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    const auto free = [](dBodyID body) { return body && !dBodyIsKinematic(body); };
    if (!free(body_a) && !free(body_b)) return;
    constexpr int most = 8;
    dContact found[most];
    const int count = dCollide(a, b, most, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dSurfaceParameters& surface = found[i].surface;
      surface.mode = dContactApprox1;  // the friction pyramid's bound follows the normal force
      surface.mu = scene_.friction;
      if (scene_.restitution > 0) {
        surface.mode |= dContactBounce;
        surface.bounce = scene_.restitution;
        surface.bounce_vel = 0;
      }
      dJointAttach(dJointCreateContact(world_, joints_, &found[i]), body_a, body_b);
    }
    contacts_ += count;
  }

  const Scene& scene_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID joints_;
  std::vector<dBodyID> bodies_;  // null: fixed
  std::vector<dGeomID> geometries_;
  int contacts_ = 0;
};

}  // namespace peers

int main(int argc, char** argv) { return peers::drive<peers::Ode>(argc, argv); }
